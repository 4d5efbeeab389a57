export const hardLinkSteps = (path: string): string =>
  `Stop every process that uses the file by any of its names, then delete the other names (find them with \`find / -xdev -samefile ${path}\`). For a copy, use \`innkeeper backup\`; for a second path, a symbolic link.`;
