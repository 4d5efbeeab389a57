export const HARD_LINK_STEPS =
  'Stop every process that uses the file by any of its names, then delete the other names (find them with `find / -xdev -samefile FILE`). For a copy, use `innkeeper backup`; for a second path, a symbolic link.';
