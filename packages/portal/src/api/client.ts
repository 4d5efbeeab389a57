import { createManageClient } from '@innkeeper/client/manage';
import i18next from 'i18next';

/** The portal's path as the browser sees it, including a prefix that a proxy may add. */
export const PORTAL_PATH = new URL(document.baseURI).pathname.replace(/\/$/, '');
export const SERVICE_URL = new URL('..', document.baseURI).href.replace(/\/$/, '');

/**
 * The only connection to the service: everything in the portal goes through /manage/v1. Queries decide about timeouts
 * and retries.
 */
export const api = createManageClient({
  baseUrl: SERVICE_URL,
  timeout: 0,
  retries: 0,
  async fetch(...request) {
    const response = await fetch(...request);
    // Its translation is there when the error is shown. Pages have their own words for a missing sign-in and for proxies.
    if (!response.ok && ![401, 502, 504].includes(response.status)) await i18next.loadNamespaces('problems');
    return response;
  },
});
