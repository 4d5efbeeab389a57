// Builds what has changed: the files of the portal and the guide, and the service itself. Runs at install and before
// `npm start` and `npm test`, so that all are ready when needed.

import { buildGuide } from '../packages/guide/build.js';
import { buildPortal } from '../packages/portal/build.js';
import { buildServer } from '../packages/server/build.js';

for (const [name, build, without] of [
  ['portal', buildPortal, '/portal is as it was built before, or says that it is not there'],
  ['guide', buildGuide, '/guide is as it was built before, or says that it is not there'],
  ['service', buildServer, 'it runs from its sources, and starts a little later'],
]) {
  const started = Date.now();
  const outcome = await build();
  if (outcome === 'built') console.log(`The ${name} was built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  if (outcome === 'no-tools')
    console.warn(`The ${name} was not built, as packages for development are not installed: ${without}.`);
}
