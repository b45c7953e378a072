// The lessons in their order. Each is loaded when it is opened.
import type { Lesson } from "./lesson";

export interface Entry {
  id: string;
  title: string;
  about: string;
  load(): Promise<Lesson>;
}

export const LESSONS: Entry[] = [
  {
    id: "pendulum",
    title: "Pendulum",
    about: "Degrees of freedom, period, and force in the pin",
    load: async () => (await import("./pendulum")).pendulum,
  },
  {
    id: "slider-crank",
    title: "Slider-crank and its cut",
    about: "A closed loop, its cut joint, and the multipliers",
    load: async () => (await import("./slider-crank")).sliderCrank,
  },
  {
    id: "four-bar",
    title: "Four-bar and its Jacobian",
    about: "Rows and columns, instant centres, and dead points",
    load: async () => (await import("./four-bar")).fourBar,
  },
  {
    id: "cam",
    title: "Cam and follower",
    about: "A driver, a contact, and when the follower lifts off",
    load: async () => (await import("./cam")).cam,
  },
  {
    id: "door",
    title: "A door with one hinge too many",
    about: "Redundant rows, and reactions that are not unique",
    load: async () => (await import("./door")).door,
  },
];

export function lessonFragment(id: string): string {
  return `#lesson=${id}`;
}

/** Returns the lesson in the address of the page; undefined if there is none. */
export function addressedLesson(): Entry | undefined {
  const id = new URLSearchParams(location.hash.slice(1)).get("lesson");
  return LESSONS.find((lesson) => lesson.id === id);
}
