import type { MenuGroup } from '../../ui/menu-logic.js';

/** Manifests to begin with, by subject. */
export const TEMPLATE_MENU: readonly MenuGroup[] = [
  {
    title: 'manifests.templates.good',
    items: [
      { id: 'manifest.new.plain', title: 'manifests.template.plain' },
      { id: 'manifest.new.probes', title: 'manifests.template.probes' },
      { id: 'manifest.new.init', title: 'manifests.template.init' },
      { id: 'manifest.new.sidecar', title: 'manifests.template.sidecar' },
      { id: 'manifest.new.hooks', title: 'manifests.template.hooks' },
      { id: 'manifest.new.job', title: 'manifests.template.job' },
    ],
  },
  {
    title: 'manifests.templates.bad',
    items: [
      { id: 'manifest.new.crash', title: 'manifests.template.crash' },
      { id: 'manifest.new.image', title: 'manifests.template.image' },
      { id: 'manifest.new.oom', title: 'manifests.template.oom' },
      { id: 'manifest.new.prestop', title: 'manifests.template.prestop' },
    ],
  },
  {
    title: 'manifests.templates.parts',
    items: [
      { id: 'manifest.new.qos', title: 'manifests.template.qos' },
      { id: 'manifest.new.volumes', title: 'manifests.template.volumes' },
      { id: 'manifest.new.hostNetwork', title: 'manifests.template.hostNetwork' },
    ],
  },
];
