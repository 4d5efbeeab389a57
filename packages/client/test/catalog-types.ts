import { createOptionsClient, createSelectionStore, isInnkeeperError } from '../src/index.ts';
import type { Catalog } from './example-catalog.ts';

// Checked by the compiler (tsconfig.json includes this file); catalog-types.test.ts checks what editors strike out.
export async function checkedByTheCompiler(): Promise<void> {
  const options = createOptionsClient<Catalog>({ baseUrl: '', apiKey: '', language: 'de' });
  await options.save('kitchen.fruit', ['apple', 'cherry']);
  await options.save('kitchen.fruit', ['apple', 'quince']);
  await options.save('kitchen.vegetarian', true);
  await options.save('kitchen.portions', [4], { language: 'Deutsch' });
  await options.save('open.volume', 3);
  await options.saveAll({ 'kitchen.vegetarian': true, 'open.tags': ['any'] });
  await options.saveAll({ 'kitchen.fruit': ['quince'] });
  options.keys({ group: 'kitchen', language: 'de-AT' });

  // @ts-expect-error: not one of the allowed values
  await options.save('kitchen.fruit', ['plum']);
  // @ts-expect-error: several can be chosen
  await options.save('kitchen.fruit', 'apple');
  // @ts-expect-error: only one can be chosen
  await options.save('kitchen.portions', [1, 2]);
  // @ts-expect-error: another type
  await options.save('open.volume', '3');
  // @ts-expect-error: no such key
  await options.save('kitchen.volume', 3);
  // @ts-expect-error: no such group
  options.keys({ group: 'cellar' });
  // @ts-expect-error: no such language
  options.groups({ language: 'fr' });
  // @ts-expect-error: one of them is of another type
  await options.saveAll({ 'kitchen.vegetarian': true, 'open.tags': [1] });

  const error: unknown = undefined;
  if (isInnkeeperError(error, 'post /api/user_options')) {
    if (error.code === '1008') error.status satisfies 422;
    if (error.code === 'timeout') error.errors satisfies readonly object[];
    // @ts-expect-error: no code of this operation
    if (error.code === '0001') return;
  }

  const store = createSelectionStore(options, {
    userId: 'ada',
    data: createSelectionStore(options, { userId: 'ada' }).data(),
  });
  await store.set('kitchen.fruit', ['apple']);
  // @ts-expect-error: not one of the allowed values
  await store.set('kitchen.fruit', ['plum']);
  // @ts-expect-error: no such key
  store.get('kitchen.volume');

  const anything = createOptionsClient({ baseUrl: '', apiKey: '' });
  await anything.save('any.key', ['any', 'value'], { language: 'any' });
  await anything.save('any.key', 5);
}
