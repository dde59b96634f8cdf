"""What is derived from the environment: paths, the project, the platform, file locks."""
