// A tar archive whose bytes depend only on its entries: no user names, one time for all.

const BLOCK = 512;
const TYPES = { file: '0', link: '2', folder: '5' };

/**
 * @typedef {{ path: string, mode?: number, uid?: number, content?: Buffer, link?: string }} Entry a folder's path ends with /
 * @param {Entry[]} entries
 * @param {number} time seconds
 */
export function tar(entries, time) {
  const parts = [];
  for (const entry of [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const { content = Buffer.alloc(0) } = entry;
    parts.push(header(entry, content.length, time), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function header({ path, mode, uid = 0, link = '' }, size, time) {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a plain tar header`);
  const type = path.endsWith('/') ? 'folder' : link ? 'link' : 'file';
  const block = Buffer.alloc(BLOCK);
  const octal = (value, length) => value.toString(8).padStart(length - 1, '0');
  block.write(path, 0);
  block.write(octal(mode ?? (type === 'file' ? 0o644 : 0o755), 8), 100);
  block.write(octal(uid, 8), 108);
  block.write(octal(uid, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(time, 12), 136);
  block.write(TYPES[type], 156);
  block.write(link, 157);
  block.write('ustar\x0000', 257, 'latin1');
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `, 148);
  return block;
}
