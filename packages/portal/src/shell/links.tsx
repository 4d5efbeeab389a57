import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Menu,
  type MenuItemProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type Own<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>;

/** Mantine's components as links of the router, typed by its paths. */
export const LinkAnchor = createLink((props: Own<AnchorProps>) => <Anchor {...props} />);
export const LinkButton = createLink((props: Own<ButtonProps>) => <Button component="a" {...props} />);
export const LinkNav = createLink((props: Own<NavLinkProps>) => <NavLink component="a" {...props} />);
export const LinkMenuItem = createLink((props: Own<MenuItemProps>) => <Menu.Item component="a" {...props} />);
