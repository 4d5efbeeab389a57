/** The paths of those who look after the process. They wait for nobody and are never turned away; and they cost next to nothing. */
export const PROBES = new Set(['/livez', '/readyz', '/metrics']);
