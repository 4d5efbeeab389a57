// Preloaded: tells at the end, in one line, which modules this thread loaded.
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const urls = [];
registerHooks({
  load(url, context, nextLoad) {
    urls.push(url);
    return nextLoad(url, context);
  },
});
process.on('exit', () => console.error(JSON.stringify({ isMainThread, urls })));
