"""A class on one run: the teacher controls it, the students follow, each with their own chains."""
