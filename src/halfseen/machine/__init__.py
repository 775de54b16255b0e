"""The mathematics of the machine, as pure functions.

In the order in which the paper introduces them: the visible layer and its unit kinds
(``visible_layer``, ``softmax_groups``), parameters (``parameters``), energy (``energy``, eq. 1),
conditionals (``conditionals``, eqs. 4 and 5), sampling (``gibbs``), completion (``mean_field``,
eqs. 11-13; ``second_order``; ``gibbs_average``; ``completion``), and the evidence P(v_o) = Z_O / Z
(``exact``, ``annealed``, ``pseudo_likelihood``).
"""
