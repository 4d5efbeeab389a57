/** Lets the browser save a file. */
export function download(name: string, type: string, content: string): void {
  downloadParts(name, type, [content]);
}

export function downloadParts(name: string, type: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
