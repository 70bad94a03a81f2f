"""The guided story: lessons kept as data, one TOML file each. `lessons.md` tells a teacher how to add one."""
