import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export type NameServer = { address: string; queries: number; close(): Promise<void> };

/**
 * A real DNS server on a port of 127.0.0.1 that answers every A query with what `addressesFor` returns: one address or
 * several.
 */
export async function startNameServer(
  addressesFor: (queries: number) => string | string[] | undefined,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server: NameServer = { address: '', queries: 0, close: async () => void socket.close() };
  socket.on('message', (query, { port }) => {
    // After the header come the name, as labels that end with an empty one, the type and the class.
    const end = query.indexOf(0, 12) + 5;
    const isIpv4 = query.readUInt16BE(end - 4) === 1;
    const addresses = [(isIpv4 ? addressesFor(server.queries++) : undefined) ?? []].flat();
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.fill(0, 8);
    const answers = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}
