"""The guided story: lessons as data, one TOML file each; `lessons.md` explains how to add one."""
