import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';
import { recall, remember } from './storage.js';

export type Lang = 'en' | 'zh-CN';
export type Theme = 'system' | 'light' | 'dark';
/** The time that the clock of an observed run shows: the log's local time, UTC, or the browser's local time. */
export const clocks = ['log', 'utc', 'browser'] as const;
export type Clock = (typeof clocks)[number];

/** A selection, which the inspector shows. */
export type Selection =
  | { readonly kind: 'pod'; readonly uid: string }
  | { readonly kind: 'channel'; readonly name: string }
  | { readonly kind: 'goroutine'; readonly id: number }
  | { readonly kind: 'container'; readonly id: string }
  | { readonly kind: 'sandbox'; readonly id: string }
  | { readonly kind: 'record'; readonly seq: Seq }
  | { readonly kind: 'part'; readonly part: Part };
/** Parts of the kubelet that there is one of. */
export const parts = [
  'loop',
  'pleg',
  'cri',
  'status',
  'probes',
  'podKiller',
  'podConfig',
  'source-file',
  'source-http',
  'source-api',
  'images',
  'managers',
  'node',
  'lease',
  'apiServer',
  'volumes',
  'eviction',
  'cgroups',
  'devices',
  'oom',
  'shutdown',
  'stats',
] as const;
export type Part = (typeof parts)[number];

/**
 * The parts that can be opened, by id. A feature adds what it registers: `declare module '../../page/ui-store.js' {
 * interface BottomPanels { console: true } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface LeftPanels {}
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface BottomPanels {}
export interface InspectorTabs {
  what: true;
}
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface Dialogs {}
export type LeftPanel = keyof LeftPanels;
export type BottomPanel = keyof BottomPanels;
export type InspectorTab = keyof InspectorTabs;
export type Dialog = keyof Dialogs;

/** The action that a notice offers. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
}
export interface Notice {
  readonly text: string;
  readonly bad: boolean;
  readonly n: number;
  readonly action?: NoticeAction;
}

export interface UIState {
  readonly lang: Lang;
  readonly theme: Theme;
  /** True for stronger colours in any case; else the system decides. */
  readonly contrast: boolean;
  readonly clock: Clock;
  readonly selection: Selection | null;
  readonly inspectorTab: InspectorTab;
  readonly inspectorOpen: boolean;
  readonly left: LeftPanel | null;
  readonly bottom: BottomPanel | null;
  readonly dialog: Dialog | null;
  /** The link that the dialog `link` shows. */
  readonly link: string;
  /** The graph scrolls to each event. */
  readonly follow: boolean;
  readonly filter: string;
  /** Things to try were put away. */
  readonly tryDismissed: boolean;
  /** A sentence for the user, about something that failed or was done. */
  readonly notice: Notice | null;
}

const oneOf = <T extends string>(value: string | null, all: readonly T[], otherwise: T): T =>
  all.includes(value as T) ? (value as T) : otherwise;

export function firstLang(stored: string | null, preferred: readonly string[]): Lang {
  if (stored === 'en' || stored === 'zh-CN') return stored;
  const first = preferred.find((l) => /^(zh|en)\b/i.test(l));
  return first && /^zh/i.test(first) ? 'zh-CN' : 'en';
}

export const useUI = create<UIState>(() => ({
  lang: firstLang(recall('lang'), typeof navigator === 'undefined' ? [] : navigator.languages),
  theme: oneOf(recall('theme'), ['system', 'light', 'dark'], 'system'),
  contrast: recall('contrast') === 'more',
  clock: oneOf(recall('clock'), clocks, 'log'),
  selection: null,
  inspectorTab: 'what',
  inspectorOpen: false,
  left: null,
  bottom: null,
  dialog: null,
  link: '',
  follow: true,
  filter: '',
  tryDismissed: false,
  notice: null,
}));

let notices = 0;
const NOTICE_MILLIS = 6_000;
/** A notice with a button stays for people who are slower with it. */
const ACTION_MILLIS = 20_000;
/** Shows a notice to the user. An error stays until it is dismissed or replaced, the rest goes by itself. */
export function notify(text: string, bad = false, action?: NoticeAction): void {
  const n = ++notices;
  useUI.setState({ notice: { text, bad, n, ...(action && { action }) } });
  if (!bad)
    setTimeout(
      () => useUI.setState((s) => (s.notice?.n === n ? { notice: null } : {})),
      action ? ACTION_MILLIS : NOTICE_MILLIS,
    );
}

export function select(selection: Selection | null): void {
  useUI.setState(selection === null ? { selection: null, inspectorOpen: false } : { selection, inspectorOpen: true });
}

/** Opens a panel, or closes it if it is open: the command of a panel. */
export const toggleLeft = (panel: LeftPanel) => () =>
  useUI.setState((s) => ({ left: s.left === panel ? null : panel }));
export const toggleBottom = (panel: BottomPanel) => () =>
  useUI.setState((s) => ({ bottom: s.bottom === panel ? null : panel }));

/** Opens the inspector at one of its tabs. */
export const showInspector = (inspectorTab: InspectorTab) => useUI.setState({ inspectorOpen: true, inspectorTab });
/** The key that opens a tab closes the inspector when that tab is in sight already and nothing is selected. */
export const toggleInspector = (tab: InspectorTab) => () => {
  const { inspectorOpen, inspectorTab, selection } = useUI.getState();
  if (inspectorOpen && inspectorTab === tab && !selection) useUI.setState({ inspectorOpen: false });
  else showInspector(tab);
};

export function setLang(lang: Lang): void {
  remember('lang', lang);
  useUI.setState({ lang });
}
export function setTheme(theme: Theme): void {
  remember('theme', theme);
  useUI.setState({ theme });
}
export function setContrast(contrast: boolean): void {
  remember('contrast', contrast ? 'more' : 'system');
  useUI.setState({ contrast });
}
export function setClock(clock: Clock): void {
  remember('clock', clock);
  useUI.setState({ clock });
}
