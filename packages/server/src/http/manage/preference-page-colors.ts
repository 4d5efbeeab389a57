import { type PageColors, readAccentColor, readableAccent } from '../../domain/applications/look.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { readParameter } from '../paging.ts';
import { DARK_CARD, LIGHT_PAGE } from '../preferences/page-style.ts';
import type { Routes } from '../server/routes.ts';

import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';

const Colors = Type.Object({
  accent: Type.String({ description: 'of links and buttons' }),
  onAccent: Type.String({ description: 'of the text of buttons' }),
  background: Type.String(),
});

const schema = {
  operationId: 'previewPageColors',
  summary: 'Preview the colours of the preference page',
  description: 'What the page makes of an `accentColor`, so that it can be read in light and dark.',
  querystring: Type.Object({ accentColor: Type.String({ description: 'such as #1f5fbf' }) }),
  response: { 200: Type.Object({ light: Colors, dark: Colors }) },
};

export function preferencePageColorsRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/preference-page-colors', schema } as const;
  applicationRoute(app, service, operation, async ({ query }) => {
    const read = readAccentColor(readParameter(query, 'accentColor'));
    if ('problem' in read) throw refuse('accentColor', read.problem);
    const on = (background: string): PageColors & { background: string } => ({
      ...readableAccent(read.value, background),
      background,
    });
    return { light: on(LIGHT_PAGE), dark: on(DARK_CARD) };
  });
}
