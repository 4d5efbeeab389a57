import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { notifyProblem } from './notify.tsx';

type Options = { signal: AbortSignal; onProgress(done: number): void };
type Props = { label: string; progress(done: number): string; run(options: Options): Promise<void> };

/** A file that takes several requests: shows the progress, and stops on a second click or on leaving the page. */
export function ExportButton({ label, progress, run }: Props) {
  const [done, setDone] = useState(0);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const exporting = useMutation({
    mutationFn() {
      control.current = new AbortController();
      return run({ signal: control.current.signal, onProgress: setDone });
    },
    onError: (error) => {
      if (!control.current?.signal.aborted) notifyProblem(error);
    },
    onSettled: () => setDone(0),
  });
  if (exporting.isPending) {
    return (
      <Button variant="default" onClick={() => control.current?.abort()}>
        {progress(done)}
      </Button>
    );
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={() => exporting.mutate()}>
      {label}
    </Button>
  );
}
