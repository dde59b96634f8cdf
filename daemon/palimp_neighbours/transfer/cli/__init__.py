"""Commands of export, import and backup."""
