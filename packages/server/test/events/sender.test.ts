import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WebhookSender } from '../../src/domain/webhooks/send-event.ts';
import { allowedAddresses, createSender } from '../../src/events/sender.ts';
import { CERTIFICATE } from './certificate.ts';
import { startNameServer } from './name-server.ts';
import { type Receiver, startReceiver } from './receiver.ts';

describe('addresses', () => {
  const { allows } = allowedAddresses([]);
  test.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '64:ff9b::101:101', '::ffff:1.1.1.1', '2002:101:101::1'])(
    '%s is public',
    (address) => expect([allows(address, 'https:'), allows(address, 'http:')]).toEqual([true, false]),
  );
  test.each([
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.8.8.8',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...['192.168.1.1', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
    ...[
      '255.255.255.255',
      '168.63.129.16',
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
    ],
    ...['2001:db8::1', '2001::1', '3fff::1', 'fec0::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe'],
    ...[
      '64:ff9b::7f00:1',
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::1',
      '2002:7f00:1::',
      '2002:a9fe:a9fe::1',
      '2002:c0a8:101::1',
    ],
  ])('%s is not', (address) => expect([allows(address, 'https:'), allows(address, 'http:')]).toEqual([false, false]));

  test('networks of the operator are allowed, also with http, in every notation', () => {
    const own = allowedAddresses(['10.0.0.0/8', 'fd00::/8']);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', 'fd12::1']) {
      expect([own.allows(address, 'https:'), own.allows(address, 'http:')]).toEqual([true, true]);
    }
    expect(own.allows('127.0.0.1', 'https:')).toBe(false);
    expect(own.allows('1.1.1.1', 'http:')).toBe(false);
  });
});

describe('sending', () => {
  const trusted = getCACertificates('default');
  let receiver: Receiver;
  let secure: Receiver;
  let sender: WebhookSender;
  const senders: WebhookSender[] = [];
  const make = (options: Parameters<typeof createSender>[0]): WebhookSender => {
    const made = createSender(options);
    senders.push(made);
    return made;
  };
  beforeAll(async () => {
    [receiver, secure] = await Promise.all([startReceiver(), startReceiver({ tls: true })]);
  });
  afterAll(() => Promise.all([receiver.close(), secure.close()]));
  beforeEach(() => {
    sender = make({ allow: ['127.0.0.1'] });
    for (const each of [receiver, secure]) {
      each.received.length = 0;
      each.answer = () => 204;
    }
  });
  afterEach(() => {
    setDefaultCACertificates(trusted);
    for (const each of senders.splice(0)) each.close();
  });

  const post = (url: string, by = sender) => by.post(url, { 'webhook-id': 'evt_1' }, '{"a":"ä"}');

  test('the body arrives unchanged, with its headers', async () => {
    receiver.answer = (_, response) => void response.writeHead(201).end('thanks, ä');
    expect(await post(`${receiver.url}/a?b=c`)).toEqual({
      ...{ status: 201, problem: null, body: 'thanks, ä', milliseconds: expect.any(Number) },
    });
    expect(receiver.received).toMatchObject([
      {
        path: '/a?b=c',
        body: '{"a":"ä"}',
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'evt_1',
          'user-agent': expect.stringMatching(/^Innkeeper\/\d/),
        },
      },
    ]);
  });

  test('over TLS, with a certificate that must be valid', async () => {
    const url = `https://localhost:${secure.port}/`;
    expect(await post(url)).toMatchObject({ status: null, problem: 'certificate-invalid' });
    expect(secure.received).toEqual([]);
    setDefaultCACertificates([...trusted, CERTIFICATE]);
    expect(await post(url, make({ allow: ['127.0.0.1'] }))).toMatchObject({ status: 204, problem: null });
  });

  test('redirects are not followed', async () => {
    receiver.answer = (_, response) => void response.writeHead(302, { location: `${receiver.url}/there` }).end('moved');
    expect(await post(receiver.url)).toMatchObject({ status: 302, body: 'moved' });
    expect(receiver.received).toHaveLength(1);
  });

  test('the first kilobyte of a long response is kept, and no more than needed is read', async () => {
    let written = 0;
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && written < 1e9) {
          written += 65_536;
          if (!response.write('x'.repeat(65_535).concat('\u0000'))) return void response.once('drain', more);
        }
      };
      more();
      return undefined;
    };
    const { status, body } = await post(receiver.url);
    expect([status, body]).toEqual([200, 'x'.repeat(1024)]);
    expect(written).toBeLessThan(1e8);
  });

  test('a response in thousands of tiny chunks is not read to its end', async () => {
    receiver.answer = (_, { socket }) => {
      // Below the maximum size, and never complete.
      socket?.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(20_000)}`);
      return undefined;
    };
    const { status, body, milliseconds } = await post(receiver.url);
    expect([status, body]).toEqual([200, 'x'.repeat(1024)]);
    // Reading until the time limit would also end, but much later.
    expect(milliseconds).toBeLessThan(10_000);
  });

  test('a receiver that times out, resets, or is unreachable', async () => {
    const quick = make({ allow: ['127.0.0.1'], withinMs: 150 });
    receiver.answer = () => undefined;
    expect(await post(receiver.url, quick)).toMatchObject({ status: null, problem: 'timeout' });
    // The status arrived in time, so an incomplete body does not matter.
    receiver.answer = (_, response) => void response.writeHead(200).write('so far');
    expect(await post(receiver.url, quick)).toMatchObject({ status: 200, problem: null, body: 'so far' });
    receiver.answer = (_, response) => void response.socket?.resetAndDestroy();
    expect(await post(receiver.url)).toMatchObject({ status: null, problem: 'connection-lost' });
    const gone = await startReceiver();
    await gone.close();
    expect(await post(gone.url)).toMatchObject({ status: null, problem: 'connection-refused' });
    receiver.answer = (_, response) => void response.socket?.end('SMTP ready\r\n');
    expect(await post(receiver.url)).toMatchObject({ status: null, problem: 'connection-lost' });
  });

  test.each([
    ['interim responses', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['early hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
    ['headers', 'x-more: y\r\n'],
    ['one header', 'y'],
  ])('endless %s fail immediately', async (what, piece) => {
    let written = 0;
    receiver.answer = (_, { socket }) => {
      socket?.write(what === 'headers' ? 'HTTP/1.1 200 OK\r\n' : what === 'one header' ? 'HTTP/1.1 200 OK\r\nx: ' : '');
      const more = (): void => {
        while (socket && !socket.destroyed && written < 1e9) {
          written += 1000 * piece.length;
          if (!socket.write(piece.repeat(1000))) return void socket.once('drain', more);
        }
      };
      more();
      return undefined;
    };
    expect(await post(receiver.url)).toMatchObject({ status: null, problem: 'connection-lost' });
    expect(written).toBeLessThan(1e8);
  });

  test('interim responses are skipped', async () => {
    receiver.answer = (_, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</a>' });
      return 204;
    };
    expect(await post(receiver.url)).toMatchObject({ status: 204, problem: null });
  });

  test('a receiver that switches to another protocol fails immediately', async () => {
    receiver.answer = (_, { socket }) => {
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n');
      return undefined;
    };
    expect(await post(receiver.url)).toMatchObject({ status: null, problem: 'connection-lost' });
  });

  test('connections are reused, and one closed by the receiver costs nothing', async () => {
    const sockets = new Set<unknown>();
    receiver.answer = (_, response) => {
      sockets.add(response.socket);
      return 204;
    };
    await post(receiver.url);
    await post(receiver.url);
    expect(sockets.size).toBe(1);
    receiver.answer = (_, response) => {
      if (!sockets.has(response.socket)) return 200;
      response.socket?.resetAndDestroy();
      return undefined;
    };
    expect(await post(receiver.url)).toMatchObject({ status: 200 });
  });

  test.each([
    ...['http://127.0.0.1:PORT/', 'https://127.0.0.1:PORT/', 'https://localhost:PORT/', 'https://x.localhost:PORT/'],
    ...['https://[::1]:PORT/', 'https://[::ffff:127.0.0.1]:PORT/', 'https://2130706433:PORT/', 'https://0x7f.1:PORT/'],
    ...[
      'https://[64:ff9b::7f00:1]:PORT/',
      'https://[2002:7f00:1::]:PORT/',
      'https://169.254.169.254/latest/meta-data/',
    ],
    ...['https://10.0.0.1/', 'http://1.1.1.1/'],
  ])('%s is rejected, as a URL and when sending', async (template) => {
    const url = template.replace('PORT', String(secure.port));
    const strict = make({ allow: [] });
    expect(await strict.problemWith(url)).toMatch(/^must (be an https URL|lead to a public address)/);
    expect(await post(url, strict)).toMatchObject({ status: null, problem: 'address-not-allowed' });
    expect(secure.received).toEqual([]);
  });

  test.each([
    ['', 'must be a URL'],
    ['app.example.com/events', 'must be a URL'],
    ['ftp://app.example.com/', 'must be a URL'],
    ['https:app.example.com', 'must be a URL'],
    [`https://app.example.com/${'x'.repeat(2048)}`, 'must be a URL'],
    ['https://ada:secret@app.example.com/', 'user name'],
    ['https://app.example.com/#here', 'fragment'],
    ['http://app.example.com/', 'must be an https URL'],
  ])('%j is not a valid receiver URL', async (url, problem) => {
    expect(await make({ allow: [] }).problemWith(url)).toContain(problem);
  });

  test('a name that resolves to a private address is rejected, also if it does so only after the check', async () => {
    const names = await startNameServer((queries) => (queries === 0 ? '93.184.216.34' : '127.0.0.1'));
    try {
      const rebinding = make({ allow: [], nameServers: [names.address] });
      const url = `https://receiver.test:${secure.port}/`;
      expect(await rebinding.problemWith(url)).toBeUndefined();
      expect(await post(url, rebinding)).toMatchObject({ status: null, problem: 'address-not-allowed' });
      expect(await rebinding.problemWith(url)).toContain('public address');
      expect(secure.received).toEqual([]);
      // Every attempt was resolved again. The control: with its network allowed, the same name can be reached.
      setDefaultCACertificates([...trusted, CERTIFICATE]);
      const allowed = make({ allow: ['127.0.0.0/8'], nameServers: [names.address] });
      expect(await post(url, allowed)).toMatchObject({ status: 204 });
    } finally {
      await names.close();
    }
  });

  test('of the thousands of addresses of a name, the first are checked and no others connected to', async () => {
    const many = (first: string) => [
      first,
      ...Array.from({ length: 3_000 }, (_, at) => `93.184.${at >> 8}.${at & 255}`),
    ];
    let answer = many('127.0.0.1');
    const names = await startNameServer(() => answer);
    try {
      const url = `https://receiver.test:${secure.port}/`;
      const strict = make({ allow: [], nameServers: [names.address] });
      expect(await post(url, strict)).toMatchObject({ status: null, problem: 'address-not-allowed' });
      // One private address is enough, anywhere among those that are checked.
      answer = many('93.184.216.34').toSpliced(15, 0, '127.0.0.1');
      expect(await post(url, strict)).toMatchObject({ status: null, problem: 'address-not-allowed' });
      answer = [...Array.from({ length: 16 }, () => '127.0.0.1'), ...many('10.0.0.1')];
      setDefaultCACertificates([...trusted, CERTIFICATE]);
      const allowed = make({ allow: ['127.0.0.0/8'], nameServers: [names.address] });
      expect(await post(url, allowed)).toMatchObject({ status: 204 });
    } finally {
      await names.close();
    }
  });

  test('a name without an address can be registered and fails when sending', async () => {
    const names = await startNameServer(() => undefined);
    try {
      const lost = make({ allow: [], nameServers: [names.address] });
      expect(await lost.problemWith('https://receiver.test/')).toBeUndefined();
      expect(await post('https://receiver.test/', lost)).toMatchObject({ status: null, problem: 'name-not-found' });
    } finally {
      await names.close();
    }
  });
});
