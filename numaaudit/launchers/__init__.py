"""What launchers do to the CPUs and the memory policy of the ranks they start: one file a launcher, below ``known``."""
