"""A check by a person, under rules that were fixed before anybody looked."""
