import { afterEach, expect, test, vi } from 'vitest';
import { createIdentityProvider } from '../../src/tokens/remote/identity-provider.ts';

afterEach(() => vi.unstubAllGlobals());

const ISSUER = 'https://id.example.com';
const ENDPOINTS = {
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
};

async function begin(metadata: Record<string, unknown>) {
  vi.stubGlobal('fetch', async () => Response.json({ issuer: ISSUER, ...ENDPOINTS, ...metadata }));
  const provider = createIdentityProvider({ issuer: ISSUER, clientId: 'a', clientSecret: 'b', scope: 'openid' });
  try {
    return await provider.begin('https://app.example.com/callback');
  } finally {
    provider.close();
  }
}

test.each(Object.keys(ENDPOINTS))('an https issuer cannot name a program on this machine as its %s', async (name) => {
  await expect(begin({ [name]: 'http://127.0.0.1:9000/x' })).rejects.toThrow(`its ${name} must use https`);
  await expect(begin({ [name]: 'nonsense' })).rejects.toThrow(name);
});

test('an https issuer with https endpoints is accepted', async () => {
  expect((await begin({})).url).toContain(ENDPOINTS.authorization_endpoint);
});
