"""Does a skill's description make an agent use the skill when it should, and only then?"""
