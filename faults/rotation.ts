import type { Place } from './client.ts';

/** A place whose address is another replica of the rotation every time, as behind a load balancer. */
export function inTurn(place: Place, rotation: ReadonlySet<string>): Place {
  let turn = 0;
  return {
    ...place,
    get url() {
      const urls = [...rotation];
      return urls[turn++ % urls.length] as string;
    },
  };
}
