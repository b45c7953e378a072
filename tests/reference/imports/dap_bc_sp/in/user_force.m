function user_force
include_global
% the spring between the ground and the slider
d = Points(2).rP - Points(1).rP;
L = norm(d);
f = 20*(L - 0.6);
if L > 0
    Bodies(1).f = Bodies(1).f - f*d/L;
else
    Bodies(1).f = Bodies(1).f + [0; 0];
end
