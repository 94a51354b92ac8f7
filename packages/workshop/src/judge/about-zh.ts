/** The subjects of the recordings of a real kubelet in Chinese, by their names; in English they have it themselves. */
export const aboutInChinese: { readonly [recording: string]: string } = {
  'crash-loop': 'restartPolicy 为 Always，容器一启动就以 1 退出：CrashLoopBackOff 先等 10 秒，再等 20 秒。',
  'edited-thrice-in-grace': '静态 Pod 在 8 秒宽限期内每隔 2 秒改一次，共三次；最初的容器忽略 TERM。',
  'init-containers': '两个 init 容器依次运行，然后启动两个应用容器。',
  'kubelet-restart': 'Pod 运行期间 kubelet 重启：容器都不重启。',
  'liveness-failure': 'exec 存活探针开始失败：容器被终止并重启。',
  'never-restart': 'restartPolicy 为 Never，一个容器成功、一个失败：阶段为 Failed。',
  'post-start-fails': 'postStart 的 exec 以 1 退出：容器被终止，然后退避。',
  sidecar: '可重启的 init 容器（sidecar）先于应用启动，后于应用停止。',
  'single-pod-lifecycle': '一个容器启动、运行，之后它的清单被删除（优雅终止，带 preStop exec）。',
  'static-pod-update': '运行中的静态 Pod 的清单变了：新 UID，旧 Pod 先终止，新 Pod 再启动。',
};
