// The parts of Helm that deploy/helm uses, for its test and for check-deploy.js: values and conditions, each on its own
// line.
import { createHash } from 'node:crypto';

/**
 * @param {string} template
 * @param {Record<string, unknown>} values by their first name: Values, Release, Chart
 */
export function renderTemplate(template, values) {
  const lookUp = (path) => {
    const found = path.split('.').reduce((value, name) => value?.[name], values);
    if (found === undefined) throw new Error(`there is no value called ${path}`);
    return found;
  };
  const lines = [];
  const shown = [true];
  for (const line of template.split('\n')) {
    const [, not, path] = /^\s*\{\{- if (not )?\.([\w.]+) \}\}$/.exec(line) ?? [];
    if (path !== undefined) shown.push(Boolean(lookUp(path)) !== Boolean(not));
    else if (/^\s*\{\{- end \}\}$/.test(line)) shown.pop();
    else if (shown.every(Boolean)) lines.push(line);
  }
  const text = lines.join('\n').replaceAll(/\{\{ \.([\w.]+)((?: \| \w+)*) \}\}/g, (_, path, pipes) =>
    pipes
      .split(' | ')
      .slice(1)
      .reduce((value, pipe) => PIPES[pipe](value), lookUp(path)),
  );
  if (text.includes('{{')) throw new Error(`not rendered: ${/\{\{.*/.exec(text)?.[0]}`);
  return text;
}

const PIPES = {
  quote: (value) => JSON.stringify(String(value)),
  toJson: (value) => JSON.stringify(value),
  sha256sum: (value) => createHash('sha256').update(value).digest('hex'),
};
