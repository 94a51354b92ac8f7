import type { MenuGroup } from '../../ui/menu-logic.js';
import { type MenuPart, registered } from '../registry.js';

/** Returns the lines of a menu, by groups: those of the same hundred are together. */
export function menuGroups(menu: MenuPart['menu']): readonly MenuGroup[] {
  const groups = new Map<number, MenuPart[]>();
  for (const part of registered('menus')) {
    if (part.menu !== menu) continue;
    const group = Math.floor(part.order / 100);
    groups.set(group, [...(groups.get(group) ?? []), part]);
  }
  return [...groups.values()].map((items) => {
    const title = items.find((item) => item.heading)?.heading;
    return { ...(title && { title }), items };
  });
}
