// A client of the generated types, "./service": what must compile does, and what must not does not. The types are made
// by test_client.mjs, which then compiles this and runs it with the address of a daemon.
import createClient from "openapi-fetch";
import type { components, paths } from "./service";

type Model = components["schemas"]["Model"];

const model: Model = {
  name: "pendulum",
  space: "planar",
  gravity: [0, -9.81],
  ground: { points: { O: [0, 0] } },
  bodies: [{ name: "bob", mass: 1, inertia: 0.1, points: { a: [-0.5, 0] } }],
  joints: [{ name: "pin", type: "revolute", points: ["ground.O", "bob.a"] }],
  analysis: { type: "dynamics", t_end: 1, dt: 0.1 },
};

function expect(what: string, found: unknown, wanted: unknown) {
  if (found !== wanted) throw new Error(`${what} is ${String(found)}, not ${String(wanted)}`);
}

const client = createClient<paths>({ baseUrl: process.argv[2] });

const posted = await client.POST("/api/v1/jobs", { params: { header: { Prefer: "wait=50" } }, body: model });
const job = posted.data;
if (!job || "jobs" in job) throw new Error(posted.error?.detail); // the answer to several documents has "jobs"
expect("the status", job.status, "succeeded");
expect("the freedoms", job.report?.degrees_of_freedom, 1);

const place = { id: job.id };
const list = await client.GET("/api/v1/jobs/{id}/results", { params: { path: place } });
expect("the first array", list.data?.arrays[0]?.name, "T");
const query = { from: 0.2, to: 0.5, columns: "pin.q" };
const slice = await client.GET("/api/v1/jobs/{id}/results/{name}", { params: { path: { ...place, name: "uT" }, query } });
expect("the rows", typeof slice.data === "object" && slice.data.shape[0], 4);

const wrong = await client.POST("/api/v1/jobs", { body: { ...model, bodies: [{ name: "bob", mass: -1, inertia: 1 }] } });
expect("the answer to a wrong model", wrong.response.status, 422);
expect("its first mistake", wrong.error?.errors?.[0]?.pointer, "/bodies/0/mass");

const change = { name: "first swing", tags: ["class 7"], keep: true };
const changed = await client.PATCH("/api/v1/jobs/{id}", { params: { path: place }, body: change });
expect("the name", changed.data?.name, change.name);
expect("the tags", changed.data?.tags.join(), "class 7");
const filter = { q: "swing", tag: "class 7", model_name: "pendulum", since: job.created ?? 0, status: job.status };
const found = await client.GET("/api/v1/jobs", { params: { query: filter } });
expect("the jobs found", found.data?.jobs.map(({ id }) => id).join(), job.id);
const again = await client.POST("/api/v1/jobs", { body: { model, reuse: true } });
expect("the equal job", again.data && "id" in again.data && again.data.id, job.id);

const gone = await client.DELETE("/api/v1/jobs/{id}", { params: { path: place } });
expect("a deletion", gone.response.status, 204);

// Never run: the types must report each of these errors.
export function mistakes() {
  // @ts-expect-error there is no such path
  void client.GET("/api/v1/job");
  // @ts-expect-error the id is missing
  void client.GET("/api/v1/jobs/{id}", {});
  // @ts-expect-error no such status
  void client.GET("/api/v1/jobs", { params: { query: { status: "done" } } });
  // @ts-expect-error no such filter
  void client.GET("/api/v1/jobs", { params: { query: { tags: "class 7" } } });
  // @ts-expect-error keep is a boolean
  void client.PATCH("/api/v1/jobs/{id}", { params: { path: place }, body: { keep: "yes" } });
  // @ts-expect-error tags are an array
  void client.PATCH("/api/v1/jobs/{id}", { params: { path: place }, body: { tags: "class 7" } });
  // @ts-expect-error no such analysis
  void client.POST("/api/v1/jobs", { body: { ...model, analysis: { type: "statics" } } });
  // @ts-expect-error a rod has no stiffness
  void client.POST("/api/v1/jobs", { body: { ...model, joints: [{ type: "rod", points: ["a.b", "c.d"], stiffness: 1 }] } });
  // @ts-expect-error a report has no such field
  void job?.report?.degrees;
}
console.log("the client has run");
