// Preloaded: prints the modules that this thread has loaded, as one line at exit.
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
