import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTotpStep, makeTotpSecret, toBase32, totpCode } from '../../src/domain/accounts/confirm-identity.ts';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import {
  cookieOf,
  fromBase32,
  memberWith,
  openSession,
  PASSWORD,
  signedIn,
  signInToken,
  visitorWith,
} from './portal.ts';

const STEP = 30_000;

test('codes are those of RFC 6238, appendix B, and of one step around now', () => {
  const secret = Buffer.from('12345678901234567890');
  for (const [at, code] of [
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ] as const) {
    const step = Math.floor(at / 30);
    expect(totpCode(secret, step)).toBe(code);
    for (const late of [-1, 0, 1]) expect(findTotpStep(secret, code, (step + late) * STEP)).toBe(step);
    for (const late of [-2, 2]) expect(findTotpStep(secret, code, (step + late) * STEP)).toBeUndefined();
  }
  for (const code of ['', '08180', '0818044', '08 804', '٠٨١٨٠٤']) {
    expect(findTotpStep(secret, code, 1_111_111_109_000)).toBeUndefined();
  }
  expect(toBase32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
  expect(makeTotpSecret()).toHaveLength(20);
});

describe.each(databases)('a second factor on $kind', (database) => {
  let server: TestServer;
  /** Advances with every code, because a code works only once. */
  let offset = 0;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    const { now } = server.service;
    server.service.now = () => now() + offset;
  });
  afterAll(() => server?.close());

  const nextCode = (secret: Uint8Array) => {
    offset += 2 * STEP;
    return totpCode(secret, Math.floor(server.service.now() / STEP));
  };
  /** An account with a password and an authenticator app. */
  const withTotp = async () => {
    const email = `${uniqueName()}@example.com`;
    const visitor = await signedIn(server, email);
    await visitor.send('PUT', '/account/password', { password: PASSWORD });
    const { json } = await visitor.send('POST', '/account/totp', { password: PASSWORD });
    const secret = fromBase32(json.secret as string);
    const confirmed = await visitor.send('PUT', '/account/totp', { code: nextCode(secret) });
    if (confirmed.status !== 200) throw new Error(confirmed.text);
    return { ...visitor, email, secret, recoveryCodes: confirmed.json.recoveryCodes as string[] };
  };
  const enter = (email: string, code?: string, password = PASSWORD) =>
    openSession(server, { email, password, ...(code !== undefined && { code }) });

  test('is enabled by a first code, required at sign-in, and disabled', async () => {
    const email = `${uniqueName()}@example.com`;
    const visitor = await signedIn(server, email);
    await visitor.send('PUT', '/account/password', { password: PASSWORD });
    expect(await visitor.send('PUT', '/account/totp', { code: '123456' })).toMatchObject({
      status: 409,
      json: { code: '9409' },
    });
    const begun = await visitor.send('POST', '/account/totp', { password: PASSWORD });
    expect(begun.json.uri).toBe(
      `otpauth://totp/Innkeeper%3A${encodeURIComponent(email)}?secret=${begun.json.secret}&issuer=Innkeeper`,
    );
    const secret = fromBase32(begun.json.secret as string);
    const wrong = await visitor.send('PUT', '/account/totp', { code: '000000' });
    expect(wrong).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'code' }] } });
    // Not confirmed yet, so no code is required.
    expect((await enter(email)).status).toBe(201);
    const code = nextCode(secret);
    const on = await visitor.send('PUT', '/account/totp', { code: `${code.slice(0, 3)} ${code.slice(3)}` });
    expect(on.status).toBe(200);
    expect(new Set(on.json.recoveryCodes as string[]).size).toBe(10);
    expect((await visitor.send('GET', '/session')).json).toMatchObject({ totp: true, recoveryCodes: 10 });
    const stored = await server.service.storage.accounts.findByEmail(email);
    expect(stored?.credentials.sealedTotp).not.toContain(begun.json.secret);
    expect((await visitor.send('POST', '/account/totp', { code: nextCode(secret) })).json.code).toBe('9409');

    expect(await enter(email)).toMatchObject({ status: 401, json: { code: '9401', needs: 'code' } });
    expect((await enter(email, nextCode(secret))).status).toBe(201);

    expect((await visitor.send('POST', '/account/totp/end', {})).json).toMatchObject({ code: '9403', needs: 'code' });
    const off = await visitor.send('POST', '/account/totp/end', { code: nextCode(secret) });
    expect(off.status).toBe(204);
    expect((await visitor.send('POST', '/account/totp/end', {})).json.code).toBe('9409');
    expect((await visitor.send('POST', '/account/totp/recovery-codes', {})).json.code).toBe('9409');
    expect((await enter(email)).status).toBe(201);
  });

  test('guessing the first code is throttled like any other', async () => {
    const visitor = await signedIn(server, `${uniqueName()}@example.com`);
    const { json } = await visitor.send('POST', '/account/totp', {});
    const right = totpCode(fromBase32(json.secret as string), Math.floor(server.service.now() / STEP));
    const wrong = right === '000000' ? '111111' : '000000';
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries++) {
      statuses.push((await visitor.send('PUT', '/account/totp', { code: wrong })).status);
    }
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(400));
  });

  test('a code works once, and a wrong password does not reveal that one is needed', async () => {
    const { email, secret } = await withTotp();
    const code = nextCode(secret);
    const wrong = await enter(email, code, 'not the password at all');
    expect([wrong.status, wrong.json.needs]).toEqual([401, undefined]);
    expect((await enter(email, undefined, 'not the password at all')).json).toEqual(wrong.json);
    const attempts = await Promise.all(Array.from({ length: 4 }, () => enter(email, code)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
    const replayed = await enter(email, code);
    expect([replayed.status, replayed.json]).toEqual([401, wrong.json]);
    for (const bad of ['000000', 'x', 'aaaa-bbbb-cccc-dddd'])
      expect((await enter(email, bad)).json).toEqual(wrong.json);
  });

  test('a recovery code works once instead; new ones replace the old', async () => {
    const visitor = await withTotp();
    const [first, second] = visitor.recoveryCodes as [string, string];
    expect(first).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    const answer = await enter(visitor.email, first.toUpperCase().replaceAll('-', ' '));
    expect(answer).toMatchObject({ status: 201, json: { recoveryCodes: 9 } });
    expect((await enter(visitor.email, first)).json.code).toBe('9401');
    const desk = visitorWith(server, cookieOf(answer));
    expect((await desk.send('POST', '/account/totp/recovery-codes', { password: 'x' })).json.code).toBe('9403');
    const proof = { password: PASSWORD, code: nextCode(visitor.secret) };
    const renewed = await desk.send('POST', '/account/totp/recovery-codes', proof);
    expect(renewed.json.recoveryCodes).toHaveLength(10);
    expect((await enter(visitor.email, second)).json.code).toBe('9401');
    expect((await enter(visitor.email, (renewed.json.recoveryCodes as string[])[9])).status).toBe(201);
  });

  test('a link replaces only the password, and is not spent by a wrong code', async () => {
    const { email, secret } = await withTotp();
    const token = await signInToken(server, email);
    const looked = await server.post('/manage/v1/session/link', { token }, FROM_PORTAL);
    expect(looked.json).toEqual({ kind: 'sign-in', email, needsCode: true });
    expect(await openSession(server, { token })).toMatchObject({ status: 401, json: { code: '9401', needs: 'code' } });
    expect((await openSession(server, { token, code: '000000' })).json.code).toBe('9401');
    expect((await openSession(server, { token, code: nextCode(secret) })).status).toBe(201);
    expect((await openSession(server, { token, code: nextCode(secret) })).json.code).toBe('9401');
  });

  test('a stolen session cannot do anything lasting: that requires the password and a code', async () => {
    const { email, secret, recoveryCodes } = await withTotp();
    const answer = await enter(email, nextCode(secret));
    const thief = visitorWith(server, cookieOf(answer));
    const spent = nextCode(secret);
    expect((await enter(email, spent)).status).toBe(201);
    for (const [method, path, rest] of SENSITIVE.filter(([put]) => put !== 'PUT')) {
      const refusals = [
        ...(await Promise.all(
          [{}, { password: 'guess' }].map((proof) => thief.send(method, path, { ...rest, ...proof })),
        )),
        ...(await Promise.all(
          [{}, { code: '000000' }, { code: spent }].map((proof) =>
            thief.send(method, path, { ...rest, password: PASSWORD, ...proof }),
          ),
        )),
      ];
      const reported = refusals.map(({ status, json }) => [path, status, json.code, json.needs]);
      const [password, code] = [
        [path, 403, '9403', undefined],
        [path, 403, '9403', 'code'],
      ];
      expect(reported).toEqual([password, password, code, code, code]);
      // With both, the request succeeds and the count is reset.
      const token = { name: 'mine', password: PASSWORD, code: nextCode(secret) };
      expect((await thief.send('POST', '/account/tokens', token)).status).toBe(201);
      expect((await thief.send('POST', '/account/tokens', token)).json).toMatchObject({ code: '9403', needs: 'code' });
    }
    const change = { current: PASSWORD, password: 'a new one for the boat' };
    expect((await thief.send('PUT', '/account/password', change)).json).toMatchObject({ code: '9403', needs: 'code' });
    expect((await thief.send('GET', '/session')).json).toMatchObject({ totp: true, recoveryCodes: 10 });
    const once = { name: 'lost the phone', password: PASSWORD, code: recoveryCodes[0] };
    const answers = await Promise.all([once, once].map((body) => thief.send('POST', '/account/tokens', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
    // Trying all codes does not help either.
    const guesses = Array.from({ length: 12 }, () => thief.send('POST', '/account/totp/end', { password: 'guess' }));
    expect((await Promise.all(guesses)).some(({ status }) => status === 429)).toBe(true);
    expect((await thief.send('GET', '/session')).json.totp).toBe(true);
  });

  test('without a password, a stolen session still needs a code for anything lasting', async () => {
    const email = `${uniqueName()}@example.com`;
    const visitor = await signedIn(server, email);
    const { json } = await visitor.send('POST', '/account/totp', {});
    const secret = fromBase32(json.secret as string);
    const confirmed = await visitor.send('PUT', '/account/totp', { code: nextCode(secret) });
    const [recoveryCode] = confirmed.json.recoveryCodes as [string];
    // First within minutes of the sign-in link, then long after it.
    for (const later of [0, 3_600_000]) {
      offset += later;
      expect((await visitor.send('GET', '/session')).json).toMatchObject({ needsPassword: false, needsLink: false });
      for (const [method, path, rest] of SENSITIVE) {
        for (const proof of [{}, { code: '000000' }, { code: 'aaaa-bbbb-cccc-dddd' }]) {
          const { status, json: refusal } = await visitor.send(method, path, { ...rest, ...proof });
          expect([path, status, refusal.code, refusal.needs]).toEqual([path, 403, '9403', 'code']);
        }
        // A valid code succeeds and resets the count of attempts.
        const made = await visitor.send('POST', '/account/tokens', { name: 'mine', code: nextCode(secret) });
        expect(made.status).toBe(201);
      }
    }
    expect((await visitor.send('GET', '/session')).json).toMatchObject({ totp: true, hasPassword: false });
    expect((await visitor.send('GET', '/account/tokens')).json.items).toHaveLength(2 * SENSITIVE.length);
    expect((await visitor.send('POST', '/account/totp/end', { code: recoveryCode })).status).toBe(204);
  });

  test('a sign-in link is not the proof after the clock was set back', async () => {
    const visitor = await signedIn(server, `${uniqueName()}@example.com`);
    offset -= 16 * 60_000;
    expect((await visitor.send('GET', '/session')).json).toMatchObject({ needsLink: true });
    offset += 16 * 60_000;
  });

  test('with neither password nor codes, a new sign-in link is the proof', async () => {
    const email = `${uniqueName()}@example.com`;
    const [fresh, stolen] = [await signedIn(server, email), await signedIn(server, email)];
    expect((await fresh.send('GET', '/session')).json).toMatchObject({ needsPassword: false, needsLink: false });
    expect((await fresh.send('POST', '/account/tokens', { name: 'mine' })).status).toBe(201);
    offset += 15 * 60_000;
    expect((await stolen.send('GET', '/session')).json).toMatchObject({ needsPassword: false, needsLink: true });
    for (const [method, path, rest] of SENSITIVE) {
      const { status, json } = await stolen.send(method, path, { ...rest, code: '000000' });
      expect([path, status, json.code, json.needs]).toEqual([path, 403, '9403', 'link']);
      expect(json.message).toContain(`innkeeper admin create --email ${email}`);
    }
    // Anything in an application that would outlast the stolen session: a secret, and access for another account.
    const { clientId, appId } = await server.application();
    const member = await memberWith(server, [{ appId, role: 'owner' }]);
    const { accountId } = await memberWith(server, [{ appId, role: 'viewer' }]);
    const outlasting = [
      ['POST', `/applications/${clientId}/secrets`, { overlap: '24h' }],
      ['POST', `/applications/${clientId}/invitations`, { email: 'mallory@example.com', role: 'owner' }],
      ['PATCH', `/applications/${clientId}/members/${accountId}`, { role: 'owner' }],
    ] as const;
    for (const [method, path, body] of outlasting)
      expect((await member.send(method, path, body)).status, path).toBeLessThan(300);
    offset += 15 * 60_000;
    for (const [method, path, body] of outlasting) {
      expect(await member.send(method, path, body), path).toMatchObject({ status: 403, json: { needs: 'link' } });
    }
    const lowered = await member.send('PATCH', `/applications/${clientId}/members/${accountId}`, { role: 'editor' });
    expect(lowered.status).toBe(200);
    const again = await signedIn(server, email);
    expect((await again.send('PUT', '/account/password', { password: PASSWORD })).status).toBe(204);
  });

  test('codes cannot be guessed from any number of networks, and a recovery code always works', async () => {
    const { email, recoveryCodes } = await withTotp();
    const [token, other] = [await signInToken(server, email), recoveryCodes[0] as string];
    const guess = (code: string) => openSession(server, { token, code });
    const answers = await Promise.all(Array.from({ length: 14 }, (_, index) => guess(`0000${index + 10}`)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
    expect((await guess(other)).status).toBe(201);
  });
});

/** Changes that would outlast a stolen session. */
const SENSITIVE = [
  ['POST', '/account/totp/end', {}],
  ['POST', '/account/totp/recovery-codes', {}],
  ['POST', '/account/tokens', { name: 'x' }],
  ['POST', '/account/totp', {}],
  ['PUT', '/account/password', { password: 'a new one for the boat' }],
] as const;
const FROM_PORTAL = { 'sec-fetch-site': 'same-origin', 'x-innkeeper-portal': '1' };
