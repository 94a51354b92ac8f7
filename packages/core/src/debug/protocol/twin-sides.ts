/** The two runs of a session that shows an observed run and the twin that re-enacts it. */
export const twinSides = ['seen', 'twin'] as const;
export type TwinSide = (typeof twinSides)[number];
