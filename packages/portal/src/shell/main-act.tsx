import { Button, type ButtonProps } from '@mantine/core';
import { type ComponentPropsWithoutRef, useEffect, useRef } from 'react';

type Props = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/**
 * The main action of a dialog without fields: it has the focus, so that Enter triggers it, even if it appeared after
 * the dialog opened. A red button, for destructive actions, does not.
 */
export function MainAct(props: Props) {
  const isSafe = props.color !== 'red';
  const button = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears, so that it never takes the focus from someone
  useEffect(() => {
    const at = document.activeElement;
    // The dialog focused the first element it had, or the focused one was replaced by this.
    const isFree = at === document.body || at?.closest('[role=dialog]')?.contains(button.current);
    if (isSafe && isFree) button.current?.focus();
  }, []);
  return <Button ref={button} {...(isSafe && { 'data-autofocus': true })} {...props} />;
}
