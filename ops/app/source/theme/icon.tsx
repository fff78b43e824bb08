/** Draws an icon of a name: those of Material, which collections and roles keep as texts. */
import SvgIcon, { type SvgIconProps } from '@mui/material/SvgIcon';
import { ICONS, type IconName } from './icon-paths.ts';

const BY_NAME: Readonly<Record<string, string>> = ICONS;

export interface IconProps extends Omit<SvgIconProps, 'children'> {
  readonly name: IconName;
}

/** An icon of the App itself. It is hidden from screen readers: what it stands beside has the name. */
export function Icon({ name, ...props }: IconProps) {
  return (
    <SvgIcon aria-hidden {...props}>
      <path d={ICONS[name]} />
    </SvgIcon>
  );
}

/** An icon whose name is data; the fallback when no such icon is known. */
export function NamedIcon({
  name,
  fallback,
  ...props
}: Omit<IconProps, 'name'> & { readonly name: string | null; readonly fallback: IconName }) {
  return (
    <SvgIcon aria-hidden {...props}>
      <path d={(name === null ? undefined : BY_NAME[name]) ?? ICONS[fallback]} />
    </SvgIcon>
  );
}
