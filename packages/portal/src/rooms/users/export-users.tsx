import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { downloadParts } from '../../shell/download.ts';
import { tellProblem } from '../../shell/told.tsx';
import type { Filters } from './filters.ts';

/** The users that are listed, with their selections, in the form that `users import` takes. */
export function ExportUsers({ clientId, filters }: { clientId: string; filters: Filters }) {
  const { t } = useTranslation('users');
  const [done, setDone] = useState(0);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const exporting = useMutation({
    async mutationFn() {
      control.current = new AbortController();
      const { signal } = control.current;
      const { sort: _, ...query } = filters;
      const parts: string[] = [];
      let users = 0;
      for (let after: string | null = ''; after !== null; ) {
        const place: { after?: string } = after === '' ? {} : { after };
        const input = { path: { clientId }, query: { ...query, ...place }, signal };
        const { data } = await api.get('/manage/v1/applications/{clientId}/users/export', input);
        parts.push(data.lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        users += data.users;
        setDone(users);
        after = data.next;
      }
      downloadParts('users.ndjson', 'application/x-ndjson', parts);
    },
    onError: (error) => {
      if (!control.current?.signal.aborted) tellProblem(error);
    },
    onSettled: () => setDone(0),
  });
  if (exporting.isPending) {
    return (
      <Button variant="default" onClick={() => control.current?.abort()}>
        {t('filter.exporting', { count: done })}
      </Button>
    );
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={() => exporting.mutate()}>
      {t('filter.export')}
    </Button>
  );
}
