import { subscribe } from 'node:diagnostics_channel';

/**
 * Loaded into the service with --import: parses Accept-Encoding as it once did, with a pattern that is quadratic in
 * spaces.
 */
subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: { headers: Record<string, string | undefined> } };
  request.headers['accept-encoding']?.split(',').map((each) => each.trim().split(/\s*;\s*/));
});
