function ChainOpen(check, theta, theta_d, t)
include_global
if check <= 2
    Coord_Rev(1, 2, theta(1));
    Coord_Rev(3, 4, theta(2));
    Coord_Tran(1, 1, 6, 2, theta(3));
    Update_P(5);
end
if check == 2
    d11 = -Points(2).sP;
    Bmat = [s_rot(d11) some_function(1)
            1          0];
elseif check == 3
    Bd = [0; 0];
end
end
