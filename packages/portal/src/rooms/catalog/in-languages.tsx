import { Input, SimpleGrid, Stack } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { TreeLanguage } from '../../draft/queries.ts';
import { defaultOf } from './texts.ts';

/** With more languages, the fields would hide the rest: they are filled in later, in the translations room. */
const FEW = 4;

/** The languages to ask for right away: the default one, and the others if there are few. */
export function initialLanguages(languages: readonly TreeLanguage[]): readonly TreeLanguage[] {
  const byDefault = defaultOf(languages);
  const others = languages.filter((language) => language !== byDefault);
  return byDefault ? [byDefault, ...(languages.length <= FEW ? others : [])] : [];
}

type Props = {
  label: string;
  hint: string;
  languages: readonly TreeLanguage[];
  children(language: TreeLanguage): ReactNode;
};

/** The same field for each language, side by side if there is room. */
export function InLanguages({ label, hint, languages, children }: Props) {
  const id = useId();
  return (
    <Stack gap={4} role="group" aria-labelledby={`${id}-label`} aria-describedby={`${id}-hint`}>
      <Input.Label labelElement="div" id={`${id}-label`}>
        {label}
      </Input.Label>
      <Input.Description id={`${id}-hint`}>{hint}</Input.Description>
      <SimpleGrid
        cols={{ base: 1, xs: languages.length === FEW ? 2 : languages.length }}
        spacing="sm"
        verticalSpacing={4}
      >
        {languages.map(children)}
      </SimpleGrid>
    </Stack>
  );
}
