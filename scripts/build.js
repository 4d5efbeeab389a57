// Builds what is served and what serves it, where it has changed: the portal's files, the guide's and the service itself. Runs at
// install and before `npm start` and `npm test`, so that all are there the moment they are wanted.

import { buildGuide } from '../packages/guide/build.js';
import { buildPortal } from '../packages/portal/build.js';
import { buildServer } from '../packages/server/build.js';

for (const [name, build] of [
  ['portal', buildPortal],
  ['guide', buildGuide],
  ['service', buildServer],
]) {
  const started = Date.now();
  if (await build()) console.log(`The ${name} was built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}
