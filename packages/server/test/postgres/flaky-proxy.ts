import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a real PostgreSQL that behaves like bad networks and poolers. */
export type FlakyProxy = {
  /** The database's URL through the proxy. */
  url: string;
  /** From now on, forwards nothing and refuses nothing. */
  blackHole(): void;
  heal(): void;
  /** Like an administrator who terminates connections: also ends the next one, as soon as it is established. */
  endTheNext(): void;
  /** Drops the connection after the next statement with this text among its values, before the response. */
  loseAnswerTo(text: string): void;
  /** Like a transaction pooler: the next statement uses a server connection without prepared statements. */
  forgetPreparedStatements(): Promise<void>;
  /** How often one of our prepared statements' names was sent. */
  names(): number;
  close(): Promise<void>;
};

type Line = {
  client: Socket;
  server: Socket;
  swallow: ((bytes: Buffer) => void) | undefined;
  /** Whether the server has responded to everything, including the handshake. */
  atRest: boolean;
  losesAnswer: boolean;
};

export async function flakyProxy(databaseUrl: string): Promise<FlakyProxy> {
  const target = new URL(databaseUrl);
  const lines = new Set<Line>();
  let passing = true;
  let endsNext = false;
  let names = 0;
  let losing: string | undefined;

  const listener = createServer((client) => {
    const line: Line = {
      client,
      server: connect(Number(target.port), target.hostname),
      swallow: undefined,
      atRest: false,
      losesAnswer: false,
    };
    lines.add(line);
    client.on('data', (bytes) => {
      names += bytes.toString('latin1').split('\0ik_').length - 1;
      if (endsNext && line.atRest) {
        endsNext = false;
        client.end(ENDED_BY_ADMINISTRATOR);
        return;
      }
      line.atRest = false;
      if (losing !== undefined && bytes.includes(losing)) {
        losing = undefined;
        line.losesAnswer = true;
      }
      if (passing) line.server.write(bytes);
    });
    line.server.on('data', (bytes: Buffer) => {
      line.atRest = endsReady(bytes);
      if (line.losesAnswer) client.destroy();
      else if (line.swallow) line.swallow(bytes);
      else if (passing) client.write(bytes);
    });
    for (const [end, other] of [
      [client, line.server],
      [line.server, client],
    ] as const) {
      end.on('error', () => {});
      end.on('close', () => {
        lines.delete(line);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((listener.address() as AddressInfo).port);

  return {
    url: url.href,
    blackHole() {
      passing = false;
    },
    heal() {
      passing = true;
    },
    endTheNext() {
      for (const { client } of lines) client.destroy();
      endsNext = true;
    },
    loseAnswerTo(text) {
      losing = text;
    },
    async forgetPreparedStatements() {
      while ([...lines].some((line) => !line.atRest)) await new Promise((resolve) => setTimeout(resolve, 5));
      await Promise.all([...lines].map(deallocateAll));
    },
    names: () => names,
    async close() {
      for (const { client } of lines) client.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** ErrorResponse: 'E', the length, then fields. */
const ENDED_BY_ADMINISTRATOR = (() => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/** Sends the server a statement over an idle connection, and hides the response from the client. */
function deallocateAll(line: Line): Promise<void> {
  const text = Buffer.from('deallocate all\0');
  const head = Buffer.alloc(5, 'Q');
  head.writeInt32BE(text.length + 4, 1);
  line.server.write(Buffer.concat([head, text]));
  return new Promise((resolve) => {
    let answer = Buffer.alloc(0);
    line.swallow = (bytes) => {
      answer = Buffer.concat([answer, bytes]);
      if (!endsReady(answer)) return;
      line.swallow = undefined;
      resolve();
    };
  });
}

/** Every response ends with ReadyForQuery: 'Z', length 5, the transaction's state. */
function endsReady(bytes: Buffer): boolean {
  return bytes.at(-6) === 0x5a && bytes.length >= 6 && bytes.readInt32BE(bytes.length - 5) === 5;
}
