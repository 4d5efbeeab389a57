// Preloaded: Directus imports isolated-vm, whose binary only its install script builds. Directus needs it only to run
// scripts of flows, which nothing here has.

import { registerHooks } from 'node:module';

const NOTHING = 'bench:nothing';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'isolated-vm' ? { url: NOTHING, shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === NOTHING ? { format: 'module', source: 'export default {}', shortCircuit: true } : next(url, context),
});
