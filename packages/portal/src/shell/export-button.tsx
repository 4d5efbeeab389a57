import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { notifyProblem } from './notify.tsx';

type Run = (options: { signal: AbortSignal; onProgress(done: number): void }) => Promise<void>;
type Props = {
  label: string;
  progress(done: number): string;
  /** What a click does, or a choice of formats. */
  run: Run | readonly { format: string; run: Run }[];
};

/** A file that takes several requests: shows the progress, and stops on a second click or on leaving the page. */
export function ExportButton({ label, progress, run }: Props) {
  const [done, setDone] = useState(0);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const exporting = useMutation({
    mutationFn(chosen: Run) {
      control.current = new AbortController();
      return chosen({ signal: control.current.signal, onProgress: setDone });
    },
    onError: (error) => {
      if (!control.current?.signal.aborted) notifyProblem(error);
    },
    onSettled: () => setDone(0),
  });
  // One button throughout: the focus stays on it.
  const button = exporting.isPending ? (
    <Button variant="default" onClick={() => control.current?.abort()}>
      {progress(done)}
    </Button>
  ) : (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      {...(typeof run === 'function' && { onClick: () => exporting.mutate(run) })}
    >
      {label}
    </Button>
  );
  if (typeof run === 'function') return button;
  return (
    <Menu position="bottom-end" disabled={exporting.isPending}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {run.map((each) => (
          <Menu.Item key={each.format} onClick={() => exporting.mutate(each.run)}>
            {each.format}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
