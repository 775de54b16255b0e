"""Self-contained pages about models and studies, to show to others."""

from halfseen.report.model_page import report_html as report_html
from halfseen.report.model_page import write_report as write_report
from halfseen.report.study import write_images as write_images
from halfseen.report.study import write_study_report as write_study_report
