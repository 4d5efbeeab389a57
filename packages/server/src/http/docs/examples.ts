import type { Route } from '../server/routes.ts';
/**
 * Placeholders in the examples of the OpenAPI document. Everything else matches the demo application, so an example
 * works once these are replaced by what the demo printed.
 */
export const EXAMPLE = {
  publicUrl: 'https://users.example.com',
  clientId: '104200317_5f2b8c1e9a7d4036b1e8f0c2a9d47e63',
  clientSecret: 'YOUR_CLIENT_SECRET',
  clientUserId: 'ada@example.com',
  newClientUserId: 'grace@example.com',
  userCode: '0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31',
  specialToken: 'YOUR_SPECIAL_TOKEN',
  accessToken: 'YOUR_ACCESS_TOKEN',
  accessTokenId: '0198c5a2-9a45-7d84-a6b7-0f1a2b3c4d56',
  groupUid: '0198c5a2-8e21-7f40-a2d3-6b7c8d9e0f12',
  secondGroupUid: '0198c5a2-8e21-7e3f-91c2-5a6b7c8d9e01',
  keyUid: '0198c5a2-8e21-7a51-b3e4-7c8d9e0f1a23',
  secondKeyUid: '0198c5a2-8e21-7b62-84f5-8d9e0f1a2b34',
  userOptionsUid: '0198c5a3-1f32-7c73-95a6-9e0f1a2b3c45',
  linkToken: 'YOUR_LINK_TOKEN',
  preferenceLink: 'YOUR_PREFERENCE_LINK',
  receipt: 'YOUR_RECEIPT',
  sessionId: '0198c5a5-3b54-7e84-a7c8-b02c3d4e5f67',
  manageTokenId: '0198c5a5-4c65-7f95-98d9-c13d4e5f6078',
  memberAccountId: '0198c5a5-3b54-7e95-b7c8-b02b3c4d5e67',
  invitationId: '0198c5a5-3b54-7fa6-88d9-c13c4d5e6f78',
  invitationToken: 'YOUR_INVITATION_TOKEN',
  webhookId: '0198c5a5-5d76-71b7-99ea-d24d5e6f7a89',
  totpCode: 'YOUR_CODE',
} as const;

/** A request and its response, both in the document under the same name; test/docs/replay.test.ts sends each one. */
export type OperationExample = {
  summary: string;
  params?: Record<string, string | number>;
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  body?: unknown;
  status: number;
  /** Omitted for a response without a body. */
  answer?: unknown;
};

/** Examples of operations, by operationId and name. */
export type Examples = Record<string, Record<string, OperationExample>>;

/** A route with its documentation. */
export type DocumentedRoute = Pick<Route, 'method' | 'path' | 'schema' | 'oauthErrors'> & {
  examples: Record<string, OperationExample>;
};

/** Not needed at startup: loaded when a document is made. */
export async function loadExamples(): Promise<Examples> {
  const events = await import('../events/examples.json', { with: { type: 'json' } });
  const manage = await import('../manage/examples.json', { with: { type: 'json' } });
  const oauth = await import('../oauth/examples.json', { with: { type: 'json' } });
  const ofrep = await import('../ofrep/examples.json', { with: { type: 'json' } });
  const operations = await import('../operations/examples.json', { with: { type: 'json' } });
  const options = await import('../options/examples.json', { with: { type: 'json' } });
  const users = await import('../users/examples.json', { with: { type: 'json' } });
  return {
    ...events.default,
    ...manage.default,
    ...oauth.default,
    ...ofrep.default,
    ...operations.default,
    ...options.default,
    ...users.default,
  };
}
