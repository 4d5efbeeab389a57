import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Connection } from '../../src/http/server/connection.ts';
import type { Exchange } from '../../src/http/server/request-and-reply.ts';

test('the cost of a pipelined request does not grow with the requests before it', () => {
  const connection = new Connection(new Socket());
  let looks = 0;
  const isFinished: boolean[] = [];
  const exchanges = Array.from({ length: 2_000 }, (_, index) => {
    const response = {
      get writableFinished() {
        looks++;
        return isFinished[index] ?? false;
      },
      destroyed: false,
    };
    return { response } as unknown as Exchange;
  });
  for (const exchange of exchanges) connection.add(exchange);
  expect(looks).toBeLessThan(3 * exchanges.length);
  expect(connection.oldest).toBe(exchanges[0]);
  for (let index = 0; index < 1_500; index++) isFinished[index] = true;
  expect(connection.oldest).toBe(exchanges[1_500]);
  connection.add(exchanges[0] as Exchange);
  expect(connection.oldest).toBe(exchanges[1_500]);
});
