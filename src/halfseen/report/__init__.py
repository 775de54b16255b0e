"""Self-contained pages, to show to others.

- :func:`write_report`, :func:`report_html` - a page about a fitted model, in a file and as text
- :func:`write_study_report` - a page about a study
- :func:`write_images` - images that methods of a study restored
- :mod:`halfseen.plot` - charts, one by one
"""

from halfseen.report.model_page import report_html as report_html
from halfseen.report.model_page import write_report as write_report
from halfseen.report.study import write_images as write_images
from halfseen.report.study import write_study_report as write_study_report
