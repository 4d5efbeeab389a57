import { Tooltip } from '@mantine/core';
import { cloneElement, type FocusEvent, type MouseEvent, type ReactElement, type ReactNode, useState } from 'react';

type Pointed = {
  onMouseEnter(event: MouseEvent<HTMLElement>): void;
  onMouseLeave(): void;
  onFocus(event: FocusEvent<HTMLElement>): void;
  onBlur(): void;
};

/**
 * For long lists: a tooltip that exists only while it is shown. Mantine's own took more time to render than the rows
 * around it.
 */
export function Tip({ label, children }: { label: ReactNode; children: ReactElement<Partial<Pointed>> }) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const hide = () => setTarget(null);
  const pointed: Pointed = {
    onMouseEnter: ({ currentTarget }) => setTarget(currentTarget),
    onMouseLeave: hide,
    onFocus: ({ currentTarget }) => currentTarget.matches(':focus-visible') && setTarget(currentTarget),
    onBlur: hide,
  };
  return (
    <>
      {cloneElement(children, pointed)}
      {target && <Tooltip target={target} defaultOpened label={label} />}
    </>
  );
}
