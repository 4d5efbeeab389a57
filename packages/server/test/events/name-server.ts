import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export type NameServer = { address: string; asked: number; close(): Promise<void> };

/** A real name server on a port of 127.0.0.1: answers every question for an IPv4 address with what `addressFor` says. */
export async function startNameServer(addressFor: (asked: number) => string | undefined): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server: NameServer = { address: '', asked: 0, close: async () => void socket.close() };
  socket.on('message', (query, { port }) => {
    // After the header: the name as labels that end with an empty one, then type and class.
    const end = query.indexOf(0, 12) + 5;
    const isIpv4 = query.readUInt16BE(end - 4) === 1;
    const address = isIpv4 ? addressFor(server.asked++) : undefined;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(address ? 1 : 0, 6);
    header.fill(0, 8);
    const answer = address
      ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
      : Buffer.alloc(0);
    socket.send(Buffer.concat([header, query.subarray(12, end), answer]), port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}
