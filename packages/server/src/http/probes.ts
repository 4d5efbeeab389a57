/** The paths of those who look after the process. */
const PROBES = new Set(['/livez', '/readyz', '/metrics']);

/** They wait for nobody and are never turned away; and they cost next to nothing. */
export function isProbe({ url = '' }: { url?: string | undefined }): boolean {
  return PROBES.has(url.split('?', 1)[0] as string);
}
