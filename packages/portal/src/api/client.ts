import { createManageClient } from '@innkeeper/client/manage';

/** Where the portal is, as the browser sees it: with the path that a proxy may have put before it. */
export const PORTAL_PATH = new URL(document.baseURI).pathname.replace(/\/$/, '');
export const SERVICE_URL = new URL('..', document.baseURI).href.replace(/\/$/, '');

/** The only way to the service: everything in the portal goes through /manage/v1. How long to wait and what to repeat is up to its queries. */
export const api = createManageClient({ baseUrl: SERVICE_URL, timeout: 0, retries: 0 });
