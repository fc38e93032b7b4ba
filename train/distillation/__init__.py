"""The learner that distils networks into one."""
