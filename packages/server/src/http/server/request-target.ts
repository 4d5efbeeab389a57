/**
 * The request's target with every part of its path readable: one whose escapes are malformed stands for itself, as
 * the name of something that is not there. Which code says so is for the route to know (CONTRACT.md section 2: 0012, 0025).
 */
export function readableTarget(target: string): string {
  if (!target.includes('%')) return target;
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  if (isReadable(path)) return target;
  const parts = path.split('/').map((part) => (isReadable(part) ? part : part.replaceAll('%', '%25')));
  return parts.join('/') + (end < 0 ? '' : target.slice(end));
}

function isReadable(part: string): boolean {
  try {
    return decodeURIComponent(part) !== undefined;
  } catch {
    return false;
  }
}
