/**
 * The registry of the shell's parts. The shell knows no feature by name: each feature registers its parts once, before
 * anything is drawn, and the shell draws, lists and runs what was registered.
 */
import type { Capabilities } from '@syncloop/core/debug';
import type { Incident } from '@syncloop/core/debug/incidents';
import type { ComponentType } from 'react';
import { addCommands, type CommandTable, type PlainCommandId } from '../commands/index.js';
import type { FileKind } from '../files/file-kind.js';
import { addWords, type MessageKey, type Words } from '../i18n/index.js';
import type { BottomPanel, Dialog, InspectorTab, LeftPanel, Selection } from '../page/ui-store.js';
import type { IconName } from '../ui/icons.js';
import type { MenuItem } from '../ui/menu-logic.js';

/** Parts of several features come by ascending `order`; equal ones as they were registered. */
interface Ordered {
  readonly order: number;
}

interface Tab<Id> extends Ordered {
  readonly id: Id;
  readonly title: MessageKey;
  /** Opens and closes it. */
  readonly command: PlainCommandId;
  /** Returns whether a session has it; if absent, all have it. */
  readonly when?: (can: Capabilities) => boolean;
}
/** A panel at the left. Its `Body` is a React.lazy, as no panel is open at first. */
export interface LeftTab extends Tab<LeftPanel> {
  readonly icon: IconName;
  readonly Body: ComponentType;
}
/** A panel at the bottom. Its `Body` is a React.lazy too. */
export interface BottomTab extends Tab<BottomPanel> {
  /** Its tab is in the strip only while it is open: another panel has the button that opens it. */
  readonly opener?: 'elsewhere';
  /** It takes the filter field's text. */
  readonly filter?: boolean;
  readonly Body: ComponentType<{ readonly filter: string }>;
}
/** A tab of the inspector: another question about the selection. */
export type InspectorTabPart = Ordered & {
  readonly id: InspectorTab;
  readonly title: MessageKey;
  /** It can show records that the page does not have: those of the `past`, or `all`, the ones ahead too. */
  readonly lostRecords?: 'past' | 'all';
} & (
    | { readonly withoutSelection?: false; readonly Body: ComponentType<{ readonly selection: Selection }> }
    /** It has something to show without a selection, too. */
    | { readonly withoutSelection: true; readonly Body: ComponentType<{ readonly selection: Selection | null }> }
  );

/** Places that features put components into, with the properties that each is given. */
export interface Slots {
  /** The middle of the header. */
  header: object;
  /** Next to the session's name. */
  'header.session': object;
  /** Below the header, across the page. */
  top: object;
  /** The middle of the page: the graph, and the bars above it. */
  stage: object;
  /** The column at the right. */
  aside: object;
  /** Above the panel at the bottom. */
  below: object;
  /** The details of an incident in the list of findings. */
  incident: { readonly incident: Incident };
  /**
   * Next to the buttons of the panels at the left, and of the tabs at the bottom on a phone. `tab`: as one of those
   * tabs.
   */
  rail: { readonly tab: boolean };
}
/** A component at a place. */
export type SlotPart = {
  readonly [P in keyof Slots]: Ordered & {
    readonly at: P;
    readonly Component: ComponentType<Slots[P]>;
    /** A hook: whether it has something to say. For places that show only the first that has. */
    readonly useWanted?: () => boolean;
  };
}[keyof Slots];

export interface PaletteEntry {
  /** Unique among the entries of its provider. */
  readonly key: string;
  readonly title: string;
  /** Other words that people use for it, in any language. */
  readonly words?: string;
  /** A sentence below the title. Not searched. */
  readonly detail?: string;
  /** Searched too, but weighs less: a summary, an id, the title in another language. */
  readonly also?: string;
  /** The heading that it is listed under, if its provider has several. */
  readonly heading?: MessageKey;
  /** The likelihood that it is wanted at this moment, up to 1. Those above 0 stand first before anything is typed. */
  readonly fits?: number;
  /** True if it was made of the typed text, so that it is found whatever its words are. */
  readonly answers?: boolean;
  /** The key that does the same, as people read it. */
  readonly keys?: string;
  /** The reason why it cannot be run now. */
  readonly blocked?: string;
  readonly run: () => void;
}
/** Something that the palette finds. */
export interface PaletteProvider extends Ordered {
  readonly id: string;
  /** The heading of its entries. */
  readonly title: MessageKey;
  /** Its entries are listed before anything is typed. */
  readonly always?: boolean;
  /** Loads what its entries are made of. Called when the palette opens, which asks for the entries again after it. */
  readonly load?: () => Promise<unknown>;
  /** Returns the present entries for the typed text; unavailable ones are left out unless they have a reason. */
  readonly entries: (typed: string) => readonly PaletteEntry[];
  /**
   * Looks for what takes longer, once nothing more is typed. It is listed below all else, in the given order, so that
   * nothing moves that somebody is about to choose. `wanted`: false once something else is typed.
   */
  readonly later?: (typed: string, wanted: () => boolean) => Promise<readonly PaletteEntry[]>;
}

/**
 * A line of one of the header's menus. Lines of the same hundred are together (110 and 120; 210 begins another group).
 */
export interface MenuPart extends MenuItem, Ordered {
  readonly menu: 'session' | 'share' | 'view';
  /** The heading of its group; one line of a group has it. */
  readonly heading?: MessageKey;
}

/**
 * Opens files that are dropped onto the page or chosen. Rejects with a file's problem; resolves with false if the file
 * turns out to be of another kind.
 */
export interface Importer {
  readonly takes: (kind: FileKind) => boolean;
  readonly open: (file: Blob, name: string) => Promise<unknown>;
  /** Opens several that came together as one; those of other kinds are among them. */
  readonly together?: (files: readonly Blob[]) => Promise<void>;
}

/** A part that Escape closes; they are tried in order until one of them had something to close. */
export interface EscapePart extends Ordered {
  readonly close: () => boolean;
}

/** The kind of page: the whole page; a frame in an article; or a follower of a presenter. */
export type PageKind = 'page' | 'frame' | 'follower';

/** Something in the page's address, or kept by its tab, that the page can begin with. */
export interface Opening {
  /** It connects the page itself; otherwise the page begins with a simulation. */
  readonly connects?: boolean;
  /** The page is nothing else then: no other feature starts, and another address needs another load. */
  readonly kind?: 'follower';
  readonly open: () => void;
}
export interface Opener extends Ordered {
  /** True if it also looks for frames. */
  readonly frames?: boolean;
  /**
   * Returns what there is to open; null for nothing. `first`: the page is just beginning, not given another address.
   */
  readonly find: (href: string, first: boolean) => Opening | null;
}

/** A feature: all parts of it that the page has. */
export interface Feature {
  readonly words?: readonly Words[];
  readonly commands?: readonly CommandTable[];
  readonly left?: readonly LeftTab[];
  readonly bottom?: readonly BottomTab[];
  readonly inspector?: readonly InspectorTabPart[];
  /** React.lazy, except for dialogs that are typed into at once. */
  readonly dialogs?: Partial<Readonly<Record<Dialog, ComponentType>>>;
  readonly slots?: readonly SlotPart[];
  readonly palette?: readonly PaletteProvider[];
  readonly menus?: readonly MenuPart[];
  readonly importers?: readonly Importer[];
  readonly escapes?: readonly EscapePart[];
  readonly openers?: readonly Opener[];
  /** The component that is the page in a frame of an article. */
  readonly frame?: ComponentType;
  /** Begins what goes on as long as the page: listeners, storage. */
  readonly start?: (page: PageKind) => void;
}

const features: Feature[] = [];

/** Registers features. Throws if two of them have the same id for a command, a text, a panel or a dialog. */
export function register(...added: readonly Feature[]): void {
  for (const feature of added) {
    for (const id of idsOf(feature))
      if (features.some((f) => idsOf(f).includes(id))) throw new Error(`${id} is registered twice`);
    addWords(...(feature.words ?? []));
    for (const table of feature.commands ?? []) addCommands(table);
    features.push(feature);
  }
  known.clear();
}
const idsOf = ({ left = [], bottom = [], inspector = [], dialogs = {} }: Feature): readonly string[] => [
  ...left.map(({ id }) => `the left panel ${id}`),
  ...bottom.map(({ id }) => `the bottom panel ${id}`),
  ...inspector.map(({ id }) => `the inspector's tab ${id}`),
  ...Object.keys(dialogs).map((id) => `the dialog ${id}`),
];

type Lists = { [K in keyof Feature as NonNullable<Feature[K]> extends readonly Ordered[] ? K : never]-?: Feature[K] };
const known = new Map<string, readonly Ordered[]>();
/** Returns what all features have registered of a kind, in order. The same list until another feature is registered. */
export function registered<K extends keyof Lists>(kind: K): NonNullable<Feature[K]> {
  let list = known.get(kind);
  if (!list) {
    list = features
      .flatMap((feature) => (feature[kind] ?? []) as readonly Ordered[])
      .toSorted((a, b) => a.order - b.order);
    known.set(kind, list);
  }
  return list as unknown as NonNullable<Feature[K]>;
}

/** The components at a place, in order. */
export function slotParts<P extends keyof Slots>(at: P): readonly Extract<SlotPart, { readonly at: P }>[] {
  return registered('slots').filter((part) => part.at === at) as unknown as Extract<SlotPart, { readonly at: P }>[];
}

export const importerOf = (kind: FileKind): Importer | undefined =>
  features.flatMap((f) => f.importers ?? []).find((importer) => importer.takes(kind));

/** Returns the importer of several files that came together. */
export const importerOfMany = (): Importer['together'] =>
  features.flatMap((f) => f.importers ?? []).find((importer) => importer.together)?.together;

export function dialogOf(id: Dialog): ComponentType | undefined {
  for (const { dialogs } of features) if (dialogs && Object.hasOwn(dialogs, id)) return dialogs[id];
  return undefined;
}

/** Returns the tabs of a session; all of them before its capabilities are known. */
export const tabsFor = <T extends Tab<string>>(tabs: readonly T[], can: Capabilities | undefined): readonly T[] =>
  tabs.filter((tab) => !can || !tab.when || tab.when(can));

/** Returns the component for a frame. */
export const frameOf = (): ComponentType | undefined => features.find(({ frame }) => frame)?.frame;

/** Calls the start of every feature. */
export function startAll(page: PageKind): void {
  for (const feature of features) feature.start?.(page);
}
