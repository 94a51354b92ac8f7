/** The graph's viewport, for commands: React Flow registers itself here when it mounts. */
interface Viewport {
  fit(): void;
  zoom(by: number): void;
}
let mounted: Viewport | null = null;

export const graphView: Viewport & { mount(viewport: Viewport | null): void } = {
  mount: (viewport) => {
    mounted = viewport;
  },
  fit: () => mounted?.fit(),
  zoom: (by) => mounted?.zoom(by),
};
